/** Addresses that people type to be fetched. */

/** The address as it is sent: without a scheme it is https; null when it is none that can be fetched. */
export function addressOf(typed: string): string | null {
  const trimmed = typed.trim();
  // What stands before a colon and a digit is a host and its port.
  const url = parsed(/^[a-z][a-z\d+.-]*:(?!\d)/i.test(trimmed) ? trimmed : `https://${trimmed}`);
  if (!url || !["http:", "https:"].includes(url.protocol) || url.username || url.password) return null;
  return url.href;
}

/** The part of an address that says whose it is; the address itself when it is none. */
export function hostOf(address: string): string {
  return parsed(address)?.host || address;
}

function parsed(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null;
}
