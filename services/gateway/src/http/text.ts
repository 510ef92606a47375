const strict = new TextDecoder('utf-8', { fatal: true })

/** Throws a TypeError if the body is not UTF-8, because otherwise replacement characters would be stored. */
export const textOf = (body: Uint8Array): string => strict.decode(body)
