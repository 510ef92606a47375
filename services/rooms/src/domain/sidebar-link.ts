import { badLinkLabel, badLinkUrl } from '../errors.ts'

/** Trims the text. Throws `invalid_argument` if nothing is left. */
export function toLinkLabel(text: string): string {
  const label = text.trim()
  if (label === '') throw badLinkLabel()
  return label
}

/** Browsers drop line breaks and tabs and treat "\" as "/", so such a URL may lead elsewhere than it seems to. */
const misleading = /[\\\s\p{Cc}]/u
const localPath = /^\/(?!\/)/
const httpUrl = /^https?:\/\/[^/]/i

/** Accepts an absolute http(s) URL or a path on this server. Throws `invalid_argument` for anything else. */
export function toLinkUrl(text: string): string {
  const url = text.trim()
  if (misleading.test(url) || !(localPath.test(url) || isHttpUrl(url))) throw badLinkUrl()
  return url
}

const isHttpUrl = (url: string): boolean => httpUrl.test(url) && URL.canParse(url)
