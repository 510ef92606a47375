import { hostHandle } from '@parley/credentials'
import { newHandle } from '@parley/ids'
import type { Config } from '../../config.ts'

/** A new handle for the cookie of a browser session; over https one that counts in a cookie of this very host alone. */
export const newSessionHandle = ({ publicUrl }: Pick<Config, 'publicUrl'>): string =>
  publicUrl.startsWith('https:') ? hostHandle(newHandle()) : newHandle()
