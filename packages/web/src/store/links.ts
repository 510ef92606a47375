/** The first URL (http or https, at most 2,048 characters) in a text; undefined if there is none. */
export function firstLinkIn(text: string): string | undefined {
  for (const [found] of text.matchAll(/\bhttps?:\/\/[^\s<>"')\]]+/g)) {
    const link = found.replace(/[.,:;!?*_~]+$/, '')
    if (URL.canParse(link) && link.length <= 2_048) return link
  }
  return undefined
}
