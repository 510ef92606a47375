import { serverImageUrl } from '@parley/signed-urls'
import type { Context } from '../../context.ts'

const size = { width: 96, height: 96, fit: 'cover' } as const

export function avatarUrl({ config }: Pick<Context, 'config'>, key: string | null): string | undefined {
  if (key === null) return undefined
  return serverImageUrl({ publicUrl: config.publicUrl, signingSecret: config.assetsSigningSecret }, key, size)
}
