"""The wait before a retry."""

import random
from email.utils import parsedate_to_datetime

FIRST_SECONDS = 0.5
MAX_SECONDS = 30


def wait_seconds(response, attempt):
    """
    Returns None if a retry does not help. A 429 or 503 sets Retry-After, in seconds or as a date by the
    exchange's clock; other server errors and network errors (no response) get exponential backoff.
    """
    if response is None:
        return backoff_seconds(attempt)
    retry_after = response.headers.get("Retry-After")
    if response.status_code in (429, 503) and retry_after is not None:
        if retry_after.isdigit():
            return int(retry_after)
        wait = parsedate_to_datetime(retry_after) - parsedate_to_datetime(response.headers["Date"])
        return max(0.0, wait.total_seconds())
    return backoff_seconds(attempt) if response.status_code == 429 or response.is_server_error else None


def backoff_seconds(attempt):
    """Exponential with full jitter, so that clients that failed together do not retry together."""
    return random.uniform(0, min(MAX_SECONDS, FIRST_SECONDS * 2**attempt))
