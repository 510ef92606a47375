/** Whether the text has the form of an id. Otherwise it is unknown, without asking the database. */
export const looksLikeId = (text: string): boolean => /^[A-Za-z0-9_-]{1,64}$/.test(text)
