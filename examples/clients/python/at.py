def at(body, path):
    """Returns the value at a dotted path of a JSON body, such as `data.ticket`; the profile names the paths."""
    for name in path.split("."):
        body = body[name]
    return body


def at_event(event, paths):
    """Returns the value at a path of a feed event; the profile has one path for all events, or one for each type."""
    if not isinstance(paths, str):
        paths = paths[event["type"]] if event["type"] in paths else paths["*"]
    return at(event, paths)
