import { once } from 'node:events'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { parseMail, type ReceivedMail } from './_mails.ts'

const user = { name: 'chat', password: 'pass of chat' }

export async function startMailServer(options: SMTPServerOptions = {}) {
  const mails: (ReceivedMail & { secure: boolean; user: string | undefined })[] = []
  /** Of the next mails, in order; later mails are accepted. */
  const refusals: { code: number; at: 'recipient' | 'data' }[] = []
  let attempts = 0
  const refusal = (at: 'recipient' | 'data') => {
    if (refusals[0]?.at !== at) return undefined
    const { code } = refusals.shift() ?? { code: 0 }
    return Object.assign(new Error('no such mailbox here'), { responseCode: code })
  }
  const server = new SMTPServer({
    authOptional: true,
    logger: false,
    closeTimeout: 100,
    onAuth: ({ username, password }, _, done) =>
      username === user.name && password === user.password
        ? done(null, { user: username })
        : done(new Error('invalid login')),
    onRcptTo: (_, __, done) => {
      attempts++
      done(refusal('recipient'))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const error = refusal('data')
        if (!error)
          mails.push({
            ...parseMail(Buffer.concat(chunks).toString('utf8')),
            secure: session.secure,
            user: typeof session.user === 'string' ? session.user : undefined,
          })
        done(error)
      })
    },
    ...options,
  })
  server.on('error', () => undefined)
  const listener = server.listen(0, '127.0.0.1')
  await once(listener, 'listening')
  const address = listener.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return {
    /** The certificate is self-signed, so the settings disable verification. */
    settings: {
      PARLEY_SMTP_ENABLED: 'true',
      PARLEY_SMTP_HOST: '127.0.0.1',
      PARLEY_SMTP_PORT: String(port),
      PARLEY_SMTP_TLS_SKIP_VERIFY: 'true',
      PARLEY_SMTP_USERNAME: user.name,
      PARLEY_SMTP_PASSWORD: user.password,
      PARLEY_SMTP_FROM: 'chat@example.org',
    },
    mails,
    refusals,
    attempts: () => attempts,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}

export type MailServer = Awaited<ReturnType<typeof startMailServer>>
