package toxics

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"mcpstorm/toxics/plan"
)

// frontAnswer is what a front end, such as a load balancer, answers to a request
// in place of the server. It is a whole HTTP/1.1 answer with a length, so that the
// connection can be used again, unless it is the last one on it.
func frontAnswer(method, target string, how plan.Detail, last bool) []byte {
	var b strings.Builder
	text := http.StatusText(how.Code)
	fmt.Fprintf(&b, "HTTP/1.1 %d %s\r\nServer: mcpstorm-front\r\n", how.Code, text)
	body := ""
	switch {
	case how.Code == http.StatusAccepted:
	case how.Code == http.StatusTemporaryRedirect:
		location := how.Location
		if location == "" {
			location = target + "/"
		}
		fmt.Fprintf(&b, "Location: %s\r\n", location)
	case how.Code >= http.StatusInternalServerError:
		body = fmt.Sprintf("<html><head><title>%d %s</title></head>\n<body><h1>%d %s</h1></body></html>\n", how.Code, text, how.Code, text)
		b.WriteString("Content-Type: text/html\r\n")
	default:
		body = text + "\n"
		b.WriteString("Content-Type: text/plain; charset=utf-8\r\n")
	}
	if how.Code == http.StatusMethodNotAllowed {
		b.WriteString("Allow: POST\r\n") // RFC 9110 section 15.5.6
	}
	if how.RetryAfter > 0 {
		fmt.Fprintf(&b, "Retry-After: %s\r\n", strconv.Itoa(int(how.RetryAfter/time.Second)))
	}
	if last {
		b.WriteString("Connection: close\r\n")
	}
	fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n", len(body))
	if method != http.MethodHead {
		b.WriteString(body)
	}
	return []byte(b.String())
}
