package series

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

const (
	postBytes   = 1 << 20 // per POST, unless one line is longer; a collector accepts 8 MiB
	postTime    = 10 * time.Second
	answerBytes = 4096
)

// poster sends parts of a file to a collector: POST URL?offset=N, where N is the expected size of the
// collector's file. The collector returns 200 {"size":N} with the new size, or 409 {"size":N} with the
// unchanged size if the offset does not match.
type poster struct {
	url    *url.URL
	token  string
	client *http.Client
}

// answer holds the collector's response.
type answer struct {
	Size  int64 `json:"size"`
	taken bool
}

// refusal is a permanent error.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, args ...any) error { return refusal(fmt.Sprintf(format, args...)) }

func newPoster(address, token string) (poster, error) {
	target, err := url.Parse(address)
	if err != nil {
		return poster{}, err
	}
	if target.Host == "" || strings.Trim(target.Path, "/") == "" {
		return poster{}, fmt.Errorf("a collector's URL looks like http://collector:8090/files/series.ndjson, not %s", target.Redacted())
	}
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.MaxIdleConnsPerHost = 1
	client := &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a redirect would lose the body
	}
	return poster{target, strings.TrimSpace(token), client}, nil
}

func (p poster) post(ctx context.Context, offset int64, lines []byte) (answer, error) {
	ctx, cancel := context.WithTimeout(ctx, postTime)
	defer cancel()
	target := *p.url
	query := target.Query()
	query.Set("offset", strconv.FormatInt(offset, 10))
	target.RawQuery = query.Encode()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), bytes.NewReader(lines))
	if err != nil {
		return answer{}, refusal(err.Error())
	}
	request.Header.Set("Content-Type", "application/x-ndjson")
	if p.token != "" {
		request.Header.Set("X-Breakwater-Token", p.token)
	}
	response, err := p.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerBytes))
	if err != nil {
		return answer{}, err
	}
	return understand(response, body)
}

func understand(response *http.Response, body []byte) (answer, error) {
	switch status := response.StatusCode; {
	case status == http.StatusOK || status == http.StatusConflict:
		said := answer{Size: -1, taken: status == http.StatusOK}
		if err := json.Unmarshal(body, &said); err != nil || said.Size < 0 {
			return answer{}, refuse("not a collector: it returned %s with %s", response.Status, quoted(body))
		}
		return said, nil
	case status == http.StatusUnauthorized:
		return answer{}, refuse("the collector returned %s: K6_SERIES_TOKEN is not its token", response.Status)
	case status >= 500 || status == http.StatusRequestTimeout || status == http.StatusTooManyRequests:
		return answer{}, fmt.Errorf("the collector returned %s: %s", response.Status, quoted(body))
	default:
		return answer{}, refuse("the collector returned %s: %s", response.Status, quoted(body))
	}
}

// quoted shortens and escapes a response body for one safe line of terminal output.
func quoted(body []byte) string {
	const longest = 200
	return strconv.QuoteToASCII(string(body[:min(len(body), longest)]))
}
