import { hostHandle } from '@parley/credentials'
import { newHandle } from '@parley/ids'
import type { Config } from '../../config.ts'

/** A new handle for a session cookie; over https it is valid only in a cookie of exactly this host. */
export const newSessionHandle = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl.startsWith('https:') ? hostHandle(newHandle()) : newHandle()
