/** The first address of a web page in a text; undefined when there is none. */
export function firstLinkIn(text: string): string | undefined {
  for (const [found] of text.matchAll(/\bhttps?:\/\/[^\s<>"')\]]+/g)) {
    const link = found.replace(/[.,:;!?*_~]+$/, '')
    if (URL.canParse(link) && link.length <= 2_048) return link
  }
  return undefined
}
