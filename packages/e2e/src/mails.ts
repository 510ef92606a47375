import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@parley/testkit'
import { fleet } from './fleet.ts'

/** Returns the newest of several mails. */
export function mailTo(address: string, containing = ''): Promise<string> {
  return eventually(async () => {
    const folder = join(fleet().dataDir, 'mail')
    const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort()
    const mails = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')))
    const newest = mails
      .filter((mail) => /^To: <?([^\s>]*)/m.exec(mail)?.[1] === address)
      // Long lines are folded with "=".
      .map((mail) => mail.replace(/=\r?\n/g, '').replaceAll('=3D', '='))
      .findLast((mail) => mail.includes(containing))
    if (newest === undefined) throw new Error(`no mail to ${address} so far`)
    return newest
  })
}

export const codeIn = (mail: string): string => /^\s*(\d{6})\s*$/m.exec(mail)?.[1] ?? 'no code'

export const linkTokenIn = (mail: string): string => /\/reset-password\?token=([^\s"<]+)/.exec(mail)?.[1] ?? 'no link'
