"""The life of tasks: the only writer of a task's status, always by compare-and-set."""
