import defaults from '../data/defaults.json';

export { default as defaults } from '../data/defaults.json';

export const percent = (share) => `${(share * 100).toFixed(2)} %`;

export default function money(amount) {
  return `${amount} ${defaults.currency}`;
}
