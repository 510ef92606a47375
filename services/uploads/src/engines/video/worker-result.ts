import { planRenditions } from './renditions.ts'
import { posterFile, renditionFile } from './ffmpeg-args.ts'
import type { Encoded } from './encode.ts'

/** Header in which a video worker describes its results; the bytes follow, renditions in order and the poster last. */
export const resultHeader = 'parley-video'

/** The content: sizes of files in bytes, 0 for no poster. */
type Answer = { width: number; height: number; durationMs: number; sizes: number[]; posterSize: number }

export function encodeResult({ source, renditions, poster }: Encoded): string {
  const { width, height, durationMs } = source
  const answer: Answer = {
    width,
    height,
    durationMs,
    sizes: renditions.map(({ size }) => size),
    posterSize: poster?.size ?? 0,
  }
  return JSON.stringify(answer)
}

const largestSide = 16_384

/**
 * Validates the response of a worker, which a malicious video may control: file names and formats are fixed by us,
 * numbers are limited. Undefined for an invalid response.
 */
export function decodeResult(value: string, maxBytes: number): Encoded | undefined {
  const { width, height, durationMs, sizes, posterSize } = parse(value)
  if (!isWhole(width, 1, largestSide) || !isWhole(height, 1, largestSide)) return undefined
  if (!isWhole(durationMs, 0, Number.MAX_SAFE_INTEGER) || !isWhole(posterSize, 0, maxBytes)) return undefined
  const planned = planRenditions({ width, height })
  if (!Array.isArray(sizes) || sizes.length !== planned.length) return undefined
  const renditions = planned.flatMap((rendition, index) => {
    const size: unknown = sizes[index]
    return isWhole(size, 1, maxBytes) ? [{ ...rendition, file: renditionFile(rendition), size }] : []
  })
  if (renditions.length !== planned.length) return undefined
  const poster = posterSize > 0 ? { file: posterFile, size: posterSize } : undefined
  return { source: { width, height, durationMs }, renditions, poster }
}

function parse(value: string): { [Key in keyof Answer]?: unknown } {
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

const isWhole = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
