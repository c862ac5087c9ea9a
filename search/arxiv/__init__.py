"""arXiv: identifiers, licences, OAI-PMH and Atom answers, PDFs, and how politely to ask for them."""
