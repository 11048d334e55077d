/** Files of which the bundle has the address. */
declare module "*.json" {
  const url: string;
  export default url;
}
