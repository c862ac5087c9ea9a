"""Who cites whom: titles recognised in references, and services that know citations."""
