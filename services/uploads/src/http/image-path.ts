import { isImageSize, type ServerImageSize } from '@parley/signed-urls'

export function readImagePath(path: string): ServerImageSize | undefined {
  const [, width, height, fit] = /^([1-9]\d{0,3})x([1-9]\d{0,3})\/([a-z]+)$/.exec(path) ?? []
  const size = { width: Number(width), height: Number(height), fit }
  return isImageSize(size) ? size : undefined
}
