/** A stretch of a text: somebody's login after an "@", or anything else. */
export type Stretch = { text: string; login: string | undefined }

const mention = /(?<![\w@./-])@([A-Za-z0-9](?:[\w.-]{0,30}[\w-])?)/g
/** Mention everybody, and are nobody's login. */
const handles = new Set(['all', 'here'])

/** A text with what may be mentions set apart. Whether somebody has the login is for others to say. */
export function stretchesOf(text: string): Stretch[] {
  const stretches: Stretch[] = []
  let from = 0
  for (const { 0: whole, 1: login = '', index } of text.matchAll(mention)) {
    if (handles.has(login.toLowerCase())) continue
    if (index > from) stretches.push({ text: text.slice(from, index), login: undefined })
    stretches.push({ text: whole, login })
    from = index + whole.length
  }
  if (from < text.length) stretches.push({ text: text.slice(from), login: undefined })
  return stretches
}
