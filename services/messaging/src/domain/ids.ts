/** Whether the text has the form of an id. If not, the id is unknown without reading the database. */
export const looksLikeId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text)
