import { STATUS_CODES } from 'node:http'

/** What a proxy in front of an exchange answers in its own words. */
export function errorPage(status: number): string {
  const title = `${status} ${STATUS_CODES[status] ?? 'Error'}`
  return [
    '<html>',
    `<head><title>${title}</title></head>`,
    `<body><center><h1>${title}</h1></center><hr><center>proxy</center></body>`,
    '</html>',
    '',
  ].join('\r\n')
}
