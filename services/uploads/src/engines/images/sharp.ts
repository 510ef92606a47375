import type sharp from 'sharp'

export type Sharp = typeof sharp

let loading: Promise<Sharp> | undefined

/**
 * Loads sharp with the first image, because sharp takes more than 20 MiB of memory. Allows it to decode only JPEG, PNG,
 * GIF and WebP.
 */
export function loadSharp(): Promise<Sharp> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<Sharp> {
  const { default: sharp } = await import('sharp')
  sharp.cache(false)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: ['Jpeg', 'Png', 'Nsgif', 'Webp'].map((format) => `VipsForeignLoad${format}`) })
  return sharp
}
