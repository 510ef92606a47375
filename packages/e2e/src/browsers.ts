import { Browser, jsonOf } from '@parley/testkit'
import { fleet } from './fleet.ts'
import type { Person } from './people.ts'

/** Uses the first gateway; {@link viaOtherGateway} switches to the second. */
export const newBrowser = (): Browser => new Browser(fleet().gateways[0])

export const viaOtherGateway = (browser: Browser): Browser => browser.via(fleet().gateways[1])

export async function signInBrowser(browser: Browser, { login, password }: Pick<Person, 'login' | 'password'>) {
  const answer = await browser.postJson('/auth/login', { identifier: login, password })
  if (answer.status !== 200) throw new Error(`sign-in was answered ${answer.status}: ${answer.text}`)
}

const getViewer = '/api/connect/svc.api.v1.ViewerService/GetViewer'

export async function signedInUserId(browser: Browser): Promise<string | undefined> {
  const answer = await browser.postJson(getViewer, {})
  if (answer.status === 401) return undefined
  if (answer.status !== 200) throw new Error(`GetViewer was answered ${answer.status}: ${answer.text}`)
  const { user } = jsonOf(answer) as { user?: { profile?: { id?: string } } }
  return user?.profile?.id
}
