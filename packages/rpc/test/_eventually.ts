import { setTimeout as sleep } from 'node:timers/promises'

/** Asks until the answer is true; fails after ten seconds. */
export async function eventually(check: () => boolean | Promise<boolean>): Promise<void> {
  const until = Date.now() + 10_000
  while (!(await check())) {
    if (Date.now() > until) throw new Error('still false after 10 s')
    await sleep(10)
  }
}
