const strict = new TextDecoder('utf-8', { fatal: true })

/** The text of a body. Throws a TypeError when it is not UTF-8: replacement characters would be stored permanently. */
export const textOf = (body: Uint8Array): string => strict.decode(body)
