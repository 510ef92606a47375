import { badLinkLabel, badLinkUrl } from '../errors.ts'

/** Trims the label. Throws `invalid_argument` if it is empty. */
export function linkLabel(given: string): string {
  const label = given.trim()
  if (label === '') throw badLinkLabel()
  return label
}

/** Browsers drop control characters and read "\" as "/", so with them an address may lead elsewhere than it seems. */
const misleading = /[\\\s\p{Cc}]/u
const localPath = /^\/(?!\/)/
const webAddress = /^https?:\/\/[^/]/i

/** Trims an absolute http(s) URL or a path on this server. Throws `invalid_argument` for anything else. */
export function linkUrl(given: string): string {
  const url = given.trim()
  if (misleading.test(url) || !(localPath.test(url) || isWebAddress(url))) throw badLinkUrl()
  return url
}

const isWebAddress = (url: string): boolean => webAddress.test(url) && URL.canParse(url)
