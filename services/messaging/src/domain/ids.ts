/** Whether the text has the form of an id. Other texts are not in the database, so it need not be queried for them. */
export const looksLikeId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text)
