/** Other texts are in no row, so they need no query. */
export const looksLikeId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text)
