export type PresentedCredentials = {
  authorizationToken: string | undefined
  cookieHandle: string | undefined
  address: string
}
