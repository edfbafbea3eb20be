/** The account that an emulator has, and who asks it. */
import {
  AttachUserPolicyCommand,
  CreateAccessKeyCommand,
  CreateUserCommand,
  IAMClient,
} from '@aws-sdk/client-iam';

export const REGION = 'us-east-1';
/** The root of the account; no IAM statement binds it. */
export const OWNER = { accessKeyId: 'test', secretAccessKey: 'test' };

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export function ownerOf(endpoint: string) {
  return { endpoint, region: REGION, credentials: OWNER };
}

/** Somebody with these policies and no other right. */
export async function createUser(
  endpoint: string,
  name: string,
  policyArns: readonly string[],
): Promise<Credentials> {
  const iam = new IAMClient(ownerOf(endpoint));
  await iam.send(new CreateUserCommand({ UserName: name }));
  for (const PolicyArn of policyArns) {
    await iam.send(new AttachUserPolicyCommand({ UserName: name, PolicyArn }));
  }
  const { AccessKey } = await iam.send(new CreateAccessKeyCommand({ UserName: name }));
  const { AccessKeyId: accessKeyId = '', SecretAccessKey: secretAccessKey = '' } = AccessKey ?? {};
  return { accessKeyId, secretAccessKey };
}
