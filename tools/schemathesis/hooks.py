"""Gives each request that ends or refreshes a session its own, so that the run's session stays valid."""

import json
import os
import urllib.request

import schemathesis

ENDING = (
    "/auth/refresh",
    "/auth/logout",
    "/auth/logout-all",
    "/auth/sessions/{session_id}/revoke",
)


@schemathesis.hook
def before_call(context, case, kwargs):
    url = os.environ.get("BREAKWATER_SESSIONS")
    if url is None or case.operation.path not in ENDING:
        return
    with urllib.request.urlopen(url) as response:
        session = json.load(response)
    case.cookies = {**(case.cookies or {}), **session["cookies"]}
    case.headers["X-CSRF-Token"] = session["csrfToken"]
