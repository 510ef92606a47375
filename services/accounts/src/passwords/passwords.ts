import { hash, verify } from '@node-rs/argon2'
import { tooManyHashings } from '../errors.ts'

// OWASP's first choice; argon2id is the library's default algorithm.
const options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
const queueLength = 32

/** Hashes and checks passwords, a few at a time: each takes a core and 19 MiB. */
export type Passwords = {
  /** Throws `resource_exhausted` when too many wait already. */
  hash: (password: string) => Promise<string>
  /** Whether the password fits; takes as long when there is no hash to compare with, so that timing tells nothing. */
  fits: (password: string, passwordHash: string | undefined) => Promise<boolean>
}

export async function createPasswords(atOnce: number): Promise<Passwords> {
  const turn = limiter(atOnce)
  const nobodys = await hash('nobody has this password', options)
  return {
    hash: (password) => turn(() => hash(password, options)),
    fits: (password, passwordHash) =>
      turn(async () => {
        const fits = await verify(passwordHash ?? nobodys, password)
        return fits && passwordHash !== undefined
      }),
  }
}

function limiter(atOnce: number): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async (work) => {
    if (running >= atOnce) {
      if (waiting.length >= queueLength) throw tooManyHashings()
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}
