import { planRenditions } from './renditions.ts'
import { posterFile, renditionFile } from './ffmpeg-args.ts'
import type { Encoded } from './encode.ts'

/** Header in which a video worker describes its results. The body holds the renditions in order, then the poster. */
export const resultHeader = 'parley-video'

/** `sizes`: of the renditions, in bytes. `posterSize`: 0 without a poster. */
type Result = { width: number; height: number; durationMs: number; sizes: number[]; posterSize: number }

export function encodeResult({ source, renditions, poster }: Encoded): string {
  const { width, height, durationMs } = source
  const result: Result = {
    width,
    height,
    durationMs,
    sizes: renditions.map(({ size }) => size),
    posterSize: poster?.size ?? 0,
  }
  return JSON.stringify(result)
}

const largestSide = 16_384

/**
 * A malicious video may have compromised the worker, so file names and formats are fixed here, and numbers are limited.
 * `maxBytes`: of one file. Undefined for an invalid result.
 */
export function decodeResult(value: string, maxBytes: number): Encoded | undefined {
  const { width, height, durationMs, sizes, posterSize } = parse(value)
  if (!isIntegerWithin(width, 1, largestSide) || !isIntegerWithin(height, 1, largestSide)) return undefined
  if (!isIntegerWithin(durationMs, 0, Number.MAX_SAFE_INTEGER) || !isIntegerWithin(posterSize, 0, maxBytes))
    return undefined
  const plan = planRenditions({ width, height })
  if (!Array.isArray(sizes) || sizes.length !== plan.length) return undefined
  const renditions = plan.flatMap((rendition, index) => {
    const size: unknown = sizes[index]
    return isIntegerWithin(size, 1, maxBytes) ? [{ ...rendition, file: renditionFile(rendition), size }] : []
  })
  if (renditions.length !== plan.length) return undefined
  const poster = posterSize > 0 ? { file: posterFile, size: posterSize } : undefined
  return { source: { width, height, durationMs }, renditions, poster }
}

function parse(value: string): { [Key in keyof Result]?: unknown } {
  try {
    const parsed: unknown = JSON.parse(value)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    return {}
  }
}

const isIntegerWithin = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= min && value <= max
