/** No row has an id of another form, so a query for one is not needed. */
export const looksLikeId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text)
