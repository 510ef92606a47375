import type { PageHead } from './read-page.ts'

export type PageDescription = { title: string; description: string; siteName: string; imageUrl: string | undefined }

const longest = { title: 300, description: 1_000, siteName: 200 }

export function describePage({ meta, title }: PageHead, pageUrl: URL): PageDescription {
  const first = (...names: string[]): string | undefined =>
    names.map((name) => meta.get(name)).find((text) => text !== undefined && text.trim() !== '')
  const image = first('og:image:secure_url', 'og:image:url', 'og:image', 'twitter:image', 'twitter:image:src')?.trim()
  return {
    title: shorten(first('og:title', 'twitter:title') ?? title, longest.title),
    description: shorten(first('og:description', 'twitter:description', 'description'), longest.description),
    siteName: shorten(first('og:site_name', 'application-name'), longest.siteName),
    imageUrl: image !== undefined && URL.canParse(image, pageUrl.href) ? new URL(image, pageUrl).href : undefined,
  }
}

/**
 * Puts a text on one line, removes zero-width spaces and direction-changing characters, and cuts it to a number of code
 * points, with an ellipsis.
 */
function shorten(text = '', maxLength: number): string {
  const clean = text
    .replace(/[\u200b\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/g, '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  const characters = Array.from(clean)
  return characters.length <= maxLength
    ? clean
    : `${characters
        .slice(0, maxLength - 1)
        .join('')
        .trimEnd()}…`
}
