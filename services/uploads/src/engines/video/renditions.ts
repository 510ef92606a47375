export type Rendition = { quality: string; width: number; height: number }

type Size = { width: number; height: number }

/**
 * The renditions for a displayed size, best first: 720p and 480p from a height of 720; else only 480p or, for a source
 * that is lower, its own height. Sides are even and at least 2, as the codec requires.
 */
export function planRenditions(source: Size): [Rendition, ...Rendition[]] {
  const { height } = source
  if (height >= 720) return [atHeight(source, 720), atHeight(source, 480)]
  return [atHeight(source, height >= 480 ? 480 : height)]
}

function atHeight(source: Size, wanted: number): Rendition {
  const height = even(wanted)
  // With 1 more, rounding down to an even number gives the nearest one.
  const width = (source.width * height) / source.height + 1
  return { quality: `${height}p`, width: even(Math.min(width, source.width)), height }
}

const even = (side: number): number => Math.max(2, Math.floor(side / 2) * 2)
