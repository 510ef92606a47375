import { text } from 'node:stream/consumers'
import { Code, ConnectError } from '@connectrpc/connect'
import { answerDirectly } from './operator/answer.ts'

// One question on standard input, one answer on standard output: what the operator's command runs when no fleet answers.
const answer = await answerDirectly(await text(process.stdin)).catch((error: unknown) => {
  const { code, rawMessage } = ConnectError.from(error, Code.Unavailable)
  return { error: { code, message: rawMessage } }
})
process.stdout.write(`${JSON.stringify(answer)}\n`)
