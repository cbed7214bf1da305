# Usage: awk -f layers.awk layers.table FILE...  Prints what breaks the table.

function begins(text, prefix) {
    return substr(text, 1, length(prefix)) == prefix
}

function begins_with_any(text, prefixes,    n, i, parts) {
    n = split(prefixes, parts, " ")
    for (i = 1; i <= n; i++)
        if (begins(text, parts[i]))
            return 1
    return 0
}

# The longest room that a path lies in; the app's own rooms before the app.
function room_of(path,    where, best) {
    best = ""
    for (where in rooms)
        if (begins(path, where) && length(where) > length(best))
            best = where
    return best
}

function complain(why) {
    printf "%s:%d: %s\n", FILENAME, FNR, why
}

function check_own(header) {
    if (!begins_with_any(header, rooms[room_of(FILENAME)]))
        complain(room_of(FILENAME) " may not include " header)
}

function check_library(header,    library) {
    for (library in libraries)
        if (begins(header, library) &&
            !begins_with_any(FILENAME, libraries[library]))
            complain(header " belongs to " libraries[library])
}

FILENAME ~ /layers\.table$/ {
    split($2, name, ":")
    rest = $0
    sub(/^[^:]*: */, "", rest)
    if ($1 == "room")
        rooms[name[1]] = rest
    if ($1 == "library")
        libraries[name[1]] = rest
    next
}

/^[ \t]*#[ \t]*include[ \t]*["<]/ {
    header = $0
    sub(/^[^"<]*["<]/, "", header)
    sub(/[">].*$/, "", header)
    if ($0 ~ /include[ \t]*"/)
        check_own(header)
    else
        check_library(header)
}
