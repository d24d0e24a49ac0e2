-- Pages of explore rows with random offset, sort and window: the same sequence in every run.
local sorts = { 'created', 'tvl', 'volume', 'price', 'change' }
local windows = { '1h', '1d', '1w', '1m' }
math.randomseed(7)

function request()
  local query = 'limit=100&offset=' .. math.random(0, 9900)
  query = query .. '&sort=' .. sorts[math.random(#sorts)] .. '&window=' .. windows[math.random(#windows)]
  return wrk.format('GET', '/explore/pools?' .. query)
end
