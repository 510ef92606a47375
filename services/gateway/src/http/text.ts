const strict = new TextDecoder('utf-8', { fatal: true })

/** The text of a body. Throws a TypeError when it is not UTF-8: replaced characters would be stored for good. */
export const textOf = (body: Uint8Array): string => strict.decode(body)
