export type ImageFormat = 'jpeg' | 'png' | 'gif' | 'webp'

/** `markup`: SVG, HTML and whatever else begins with `<`. */
export function sniffImage(bytes: Buffer): ImageFormat | 'markup' | undefined {
  if (hasText(bytes, 0, '\xff\xd8\xff')) return 'jpeg'
  if (hasText(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'png'
  if (hasText(bytes, 0, 'GIF87a') || hasText(bytes, 0, 'GIF89a')) return 'gif'
  if (hasText(bytes, 0, 'RIFF') && hasText(bytes, 8, 'WEBP')) return 'webp'
  return /^(\xef\xbb\xbf)?\s*</.test(bytes.toString('latin1', 0, 256)) ? 'markup' : undefined
}

const hasText = (bytes: Buffer, at: number, text: string): boolean =>
  bytes.toString('latin1', at, at + text.length) === text

const pngSignatureBytes = 8
const pngChunkOverheadBytes = 12

/** An animated PNG has an acTL chunk before its pixels. The decoder ignores this chunk. */
export function isAnimatedPng(bytes: Buffer): boolean {
  let at = pngSignatureBytes
  while (at + 8 <= bytes.length) {
    const type = bytes.toString('latin1', at + 4, at + 8)
    if (type === 'acTL') return true
    if (type === 'IDAT' || type === 'IEND') return false
    at += pngChunkOverheadBytes + bytes.readUInt32BE(at)
  }
  return false
}

/** Returns 0 for a still WebP and for other formats. */
export function framesOfWebp(bytes: Buffer): number {
  if (sniffImage(bytes) !== 'webp') return 0
  let frames = 0
  for (let at = 12; at + 8 <= bytes.length;) {
    if (hasText(bytes, at, 'ANMF')) frames++
    const size = bytes.readUInt32LE(at + 4)
    at += 8 + size + (size % 2)
  }
  return frames
}
