const maxCharacters = 200

/** Printable ASCII, at most 200 characters. */
export const readableUserAgent = (header: string): string => header.replace(/[^\x20-\x7e]/g, '').slice(0, maxCharacters)
