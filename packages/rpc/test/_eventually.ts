import { setTimeout as sleep } from 'node:timers/promises'

/** Asks until the answer is true; fails after a minute. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + 60_000
  while (!(await check())) {
    if (Date.now() > until) throw new Error('still false after 60 s')
    await sleep(10)
  }
}
