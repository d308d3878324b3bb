/**
 * Secrets that show by their own shape. Every pattern begins at a place where its run of characters begins (a negative
 * lookbehind on the run's own class), so that a text is looked at a bounded number of times: linear on any input.
 */

export interface TokenRule {
  /** The `x` of `[redacted:x]`. */
  kind: string;
  /** One of these occurs in every text that the pattern matches; the cheap test before the pattern runs. */
  hints: readonly string[];
  /** Global. Without a group all of the match is replaced; with one, the group `secret` alone, which ends the match. */
  pattern: RegExp;
  /** False leaves the match as it is: it only looks like a secret. */
  fits?: (secret: string) => boolean;
}

/** Letters and digits mixed as no word or name is: a digit and a capital, or a digit and much length. */
export function looksRandom(text: string): boolean {
  return /\d/.test(text) && (/[A-Z]/.test(text) || text.length >= 24) && /[A-Za-z]/.test(text);
}

export const TOKEN_RULES: readonly TokenRule[] = [
  {
    kind: 'jwt',
    hints: ['eyJ'],
    pattern: /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]*){1,3}/g,
  },
  {
    kind: 'aws_access_key',
    hints: ['AKIA', 'ASIA'],
    pattern: /(?<![A-Za-z0-9])(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])/g,
  },
  {
    kind: 'github_token',
    hints: ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_'],
    pattern: /(?<![A-Za-z0-9_])(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{22,})/g,
  },
  { kind: 'gitlab_token', hints: ['glpat-'], pattern: /(?<![A-Za-z0-9_-])glpat-[A-Za-z0-9_-]{20,}/g },
  { kind: 'slack_token', hints: ['xox'], pattern: /(?<![A-Za-z0-9-])xox[abeoprs]-[A-Za-z0-9-]{10,}/g },
  {
    kind: 'slack_webhook',
    hints: ['hooks.slack.com'],
    pattern: /(?<=hooks\.slack\.com\/(?:services|workflows)\/)[A-Za-z0-9_/]{20,}/g,
  },
  {
    kind: 'stripe_key',
    hints: ['k_live_', 'k_test_', 'whsec_'],
    pattern: /(?<![A-Za-z0-9_])(?:[prs]k_(?:live|test)_|whsec_)[A-Za-z0-9]{16,}/g,
  },
  {
    kind: 'google_api_key',
    hints: ['AIza'],
    pattern: /(?<![A-Za-z0-9_-])AIza[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])/g,
  },
  { kind: 'google_token', hints: ['ya29.'], pattern: /(?<![A-Za-z0-9_-])ya29\.[A-Za-z0-9_-]{20,}/g },
  {
    kind: 'api_key',
    hints: ['sk-'],
    pattern: /(?<![A-Za-z0-9_-])sk-[A-Za-z0-9_-]{20,}/g,
    fits: looksRandom,
  },
  { kind: 'sworn_token', hints: ['swt_'], pattern: /(?<![A-Za-z0-9_-])swt_[A-Za-z0-9_-]{20,}/g },
  { kind: 'npm_token', hints: ['npm_'], pattern: /(?<![A-Za-z0-9_])npm_[A-Za-z0-9]{36,}/g },
  { kind: 'pypi_token', hints: ['pypi-'], pattern: /(?<![A-Za-z0-9_-])pypi-[A-Za-z0-9_-]{50,}/g },
  { kind: 'huggingface_token', hints: ['hf_'], pattern: /(?<![A-Za-z0-9_])hf_[A-Za-z]{30,}/g },
  {
    kind: 'sendgrid_key',
    hints: ['SG.'],
    pattern: /(?<![A-Za-z0-9_-])SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}/g,
  },
  { kind: 'digitalocean_token', hints: ['_v1_'], pattern: /(?<![A-Za-z0-9_])do[opr]_v1_[a-f0-9]{64}/g },
  { kind: 'shopify_token', hints: ['shp'], pattern: /(?<![A-Za-z0-9_])shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}/g },
  { kind: 'vault_token', hints: ['hvs.', 'hvb.'], pattern: /(?<![A-Za-z0-9_-])hv[sb]\.[A-Za-z0-9_-]{24,}/g },
  { kind: 'telegram_token', hints: [':AA'], pattern: /(?<![A-Za-z0-9])\d{8,10}:AA[A-Za-z0-9_-]{33}/g },
  {
    kind: 'bearer',
    hints: ['bearer', 'Bearer', 'BEARER'],
    pattern: /(?<![A-Za-z])bearer[ \t]{1,4}(?<secret>[A-Za-z0-9._~+/=-]{8,})/gi,
    fits: (secret) => looksRandom(secret) || /\d/.test(secret) || secret.length >= 24,
  },
  {
    kind: 'authorization',
    hints: ['uthorization', 'UTHORIZATION'],
    pattern:
      /authorization\\?["']?[ \t]{0,4}[:=][ \t]{0,4}\\?["']?(?:basic|digest|token|apikey)[ \t]{1,4}(?<secret>[^\s"'\\,]{6,})/gi,
  },
  {
    kind: 'cookie',
    hints: ['ookie', 'COOKIE'],
    pattern:
      /(?<![A-Za-z0-9_])(?:set-)?cookie\\?["']?[ \t]{0,4}:[ \t]{0,4}\\?["']?(?<secret>[^\s"'\\=]{1,128}=[^\r\n"'\\]+)/gi,
  },
  {
    kind: 'session_id',
    hints: ['SESSI', 'sessi', 'connect.sid'],
    pattern:
      /(?<![A-Za-z0-9_])(?:JSESSIONID|PHPSESSID|ASP\.NET_SessionId|connect\.sid)=(?<secret>[^\s"';,&]{12,})/gi,
  },
  {
    kind: 'password',
    hints: ['://'],
    pattern: /:\/\/[^\s:@/?#"'<>]{0,128}:(?<secret>[^\s@/?#"'<>]{1,256})(?=@)/g,
  },
  {
    kind: 'password',
    hints: ['dentified', 'DENTIFIED'],
    pattern:
      /(?<![A-Za-z])identified[ \t]{1,4}by[ \t]{1,4}(?:password[ \t]{1,4})?'(?<secret>[^'\r\n]{1,512})(?=')/gi,
  },
  {
    kind: 'password',
    hints: ['--pass', '--token', '--secret', '--api'],
    pattern:
      /(?<![A-Za-z0-9-])--(?:password|passwd|passphrase|token|secret|api-?key)[ \t]{1,4}(?<secret>[^\s"'-][^\s"']{3,})/gi,
  },
];
