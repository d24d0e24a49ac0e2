"""The cookies and the CSRF token of a session, which programs can share."""

import json
import os
from http.cookiejar import CookieJar
from pathlib import Path

import httpx


class SessionStore:
    """In memory, or in a file: programs that name the same file share a session, and it survives a restart."""

    def __init__(self, path=None):
        self.jar = CookieJar()
        self.csrf_token = None
        self._path = path and Path(path)

    def cookie(self, name):
        """Returns None without such a cookie."""
        return next((cookie.value for cookie in self.jar if cookie.name == name), None)

    def read(self):
        """Takes over what another program has written."""
        if self._path is None or not self._path.exists():
            return
        kept = json.loads(self._path.read_text())
        self.csrf_token = kept["csrfToken"]
        self.jar.clear()
        for cookie in kept["cookies"]:
            httpx.Cookies(self.jar).set(**cookie)

    def write(self, csrf_token):
        """Keeps the CSRF token and the cookies that the jar has received."""
        self.csrf_token = csrf_token
        if self._path is None:
            return
        names = ("name", "value", "domain", "path")
        cookies = [{name: getattr(cookie, name) for name in names} for cookie in self.jar]
        # Renamed when complete, so that no other program reads a part; with secrets, so only for its owner.
        temporary = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump({"csrfToken": csrf_token, "cookies": cookies}, file)
        temporary.replace(self._path)

    def clear(self):
        self.jar.clear()
        self.write(None)
