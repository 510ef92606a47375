/** What an upgrade request carried that may prove who asks. */
export type Presented = {
  authorizationToken: string | undefined
  cookieHandle: string | undefined
  /** Where it came from. */
  address: string
}
