"""One function per stage, from a harvest to a published index. The lake is what they hand on."""
