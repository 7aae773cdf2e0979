import { expect, it } from 'vitest';
import { isSecretName } from './secret-names.ts';

it.each(
  (
    'password PASSWORD Password passwd cipassword passphrase secret secrets clientSecret client_secret client-key api_key apiKey APIKey ' +
    'apikey api-key x-api-key private-key privateKey psk wpa-psk credential credentials authkey auth-key keyring token access_token ' +
    'apiToken APIToken userpassword truenas_password svm_pass svmpass chap_secret secretkey secret_access_key access_key_id ' +
    'encryption-key master-key preshared-key password2 wireless-key1 secret_id mgr/dashboard/admin_password rgw_keystone_admin_password ' +
    'rgw_ldap_secret Authorization Proxy-Authorization Cookie X-Vault-Token password_hash monpassword ssl_key device.scsi0.secret'
  ).split(' '),
)('%s holds a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

it.each(
  (
    'tokenid token-id full-tokenid tokens privsep expire keyboard keephugepages keep-last keep-daily prune-backups keyctl ' +
    'pre-enrolled-keys ms-cert public-key-type public-key-bits public-key master-pubkey fingerprint pve_fp ssl_fingerprint digest ' +
    'config_digest sshkeys client-id authsupported secauth totp-locked tfa-locked-until checksum crush_rule key keys Key hash ' +
    'password-reset password_expired token-expire token_count secret_name keystone_password_path password_file bypass compass ' +
    'passthrough mapping Permissions.Modify Realm.AllocateUser sid pem lock auth_client_required cephx monhost hostname path'
  ).split(' '),
)('%s holds none', (name) => {
  expect(isSecretName(name)).toBe(false);
});

it('does not take a whole text for a name', () => {
  expect(isSecretName(`${'word '.repeat(40)}password`)).toBe(false);
  expect(isSecretName('')).toBe(false);
  expect(isSecretName('---')).toBe(false);
});
