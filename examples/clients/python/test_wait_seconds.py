import unittest

import httpx

from wait_seconds import MAX_SECONDS, wait_seconds

DATE = "Mon, 05 Jan 2026 05:00:00 GMT"


class WaitSecondsTest(unittest.TestCase):
    def test_retry_after(self):
        for status, retry_after, expected in [
            (429, "7", 7),
            (503, "0", 0),
            (429, "Mon, 05 Jan 2026 05:00:30 GMT", 30),
            (429, "Mon, 05 Jan 2026 04:59:00 GMT", 0),
            (400, "7", None),
        ]:
            with self.subTest(status=status, retry_after=retry_after):
                response = httpx.Response(status, headers={"Retry-After": retry_after, "Date": DATE})
                self.assertEqual(wait_seconds(response, attempt=0), expected)

    def test_backs_off_where_nothing_is_told(self):
        for response in [None, httpx.Response(429), httpx.Response(500), httpx.Response(502)]:
            for attempt in range(20):
                seconds = wait_seconds(response, attempt)
                self.assertGreaterEqual(seconds, 0)
                self.assertLessEqual(seconds, min(MAX_SECONDS, 0.5 * 2**attempt))

    def test_a_refusal_is_final(self):
        for status in (400, 401, 403, 404, 409):
            self.assertIsNone(wait_seconds(httpx.Response(status), attempt=0))


if __name__ == "__main__":
    unittest.main()
