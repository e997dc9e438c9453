"""From pictures to the files that game engines read, one format a file."""
