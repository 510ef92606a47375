const strict = new TextDecoder('utf-8', { fatal: true })

/**
 * The text of a body. Throws a TypeError if it is not UTF-8, because replacement characters would be stored
 * permanently.
 */
export const textOf = (body: Uint8Array): string => strict.decode(body)
