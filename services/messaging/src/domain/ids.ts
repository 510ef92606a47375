/** Whether the text has the form of an id. Any other text is unknown without a look into the database. */
export const looksLikeId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text)
