def at(body, path):
    """Returns the value at a dotted path of a JSON body, such as `data.ticket`; the profile names the paths."""
    for name in path.split("."):
        body = body[name]
    return body
